// Elements. Text enters as text nodes only; styles by element.style, so that a strict content policy holds.
export type Child = Node | string | number | null | undefined | false;
type Style = Partial<Record<keyof CSSStyleDeclaration & string, string>>;
type Value = string | number | boolean | null | undefined | ((event: never) => void) | Style;

/** `on...` with a function: a listener. `style` with an object: properties. true: an attribute without value; false, null: none. */
export type Attributes = Record<string, Value>;

function fill(element: HTMLElement | SVGElement, attributes: Attributes | null | undefined, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value as EventListener);
    else if (name === "style") Object.assign(element.style, value);
    else if (/^(on|style$)/.test(name)) throw new Error(`attribute ${name}: give a function, or an object of styles`);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes?: Attributes | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes?: Attributes | null,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}
