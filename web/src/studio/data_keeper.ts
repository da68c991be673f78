// Data by what they are called. The server's numbers for them end with the server; names stay.
import { Refusal, type Api, type Data } from "./api";
import type { DataRef } from "./state";

export class DataKeeper {
  private readonly known = new Map<string, Promise<Data>>();
  private readonly uploads = new Map<string, File>();

  constructor(private readonly api: Pick<Api, "builtin" | "open" | "upload">) {}

  get(ref: DataRef): Promise<Data> {
    const key = `${ref.kind}:${ref.name}`;
    let data = this.known.get(key);
    if (!data) {
      data = this.ask(ref);
      this.known.set(key, data);
      data.catch(() => this.known.delete(key));
    }
    return data;
  }

  upload(file: File): DataRef {
    const ref: DataRef = { kind: "upload", name: file.name };
    this.uploads.set(file.name, file);
    this.known.delete(`upload:${file.name}`);
    return ref;
  }

  /** Another server knows nothing of the data that the last one had. */
  forget(): void {
    this.known.clear();
  }

  private ask(ref: DataRef): Promise<Data> {
    if (ref.kind === "builtin") return this.api.builtin(ref.name);
    if (ref.kind === "file") return this.api.open(ref.name);
    const file = this.uploads.get(ref.name);
    if (file) return this.api.upload(file);
    return Promise.reject(new Refusal(`This page does not hold ${ref.name} any more.`, "", "Drop the file here again."));
  }
}
