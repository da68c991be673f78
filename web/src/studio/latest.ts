// Latest wins: while one request is under way only the newest of the values that come meanwhile is kept, and sent
// when the answer is there. So a drag never queues up, and always ends in its last value.

export class Latest<T> {
  private waiting: { value: T } | null = null;
  private running = false;

  /** `run` ends when the answer is there, or the request failed. It must not throw. */
  constructor(private readonly run: (value: T) => Promise<void>) {}

  push(value: T): void {
    this.waiting = { value };
    if (!this.running) void this.drain();
  }

  get busy(): boolean {
    return this.running;
  }

  private async drain(): Promise<void> {
    this.running = true;
    try {
      while (this.waiting) {
        const { value } = this.waiting;
        this.waiting = null;
        await this.run(value);
      }
    } finally {
      this.running = false;
    }
  }
}

/** Drawing at most once a frame, always what came last. */
export class Frame {
  private waiting: (() => void) | null = null;

  constructor(private readonly request: (f: () => void) => void = (f) => requestAnimationFrame(f)) {}

  draw(what: () => void): void {
    const asked = this.waiting !== null;
    this.waiting = what;
    if (!asked)
      this.request(() => {
        const last = this.waiting!;
        this.waiting = null;
        last();
      });
  }
}
