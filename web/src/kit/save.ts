// A figure as a PNG: its words, canvases and SVGs painted where they stand. Nothing leaves the page.
import { h } from "./dom";
import type { Theme } from "./theme";

const painted = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity", "font-family", "font-size", "font-weight", "paint-order", "visibility", "text-anchor"];

/** A copy that looks the same without the page's style sheet. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const from = svg.querySelectorAll<SVGElement>("*");
  copy.querySelectorAll<SVGElement>("*").forEach((element, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of painted) element.setAttribute(name, style.getPropertyValue(name));
  });
  return new XMLSerializer().serializeToString(copy);
}

async function image(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const address = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  URL.revokeObjectURL(address);
  return picture;
}

function words(ctx: CanvasRenderingContext2D, node: Text, box: DOMRect): void {
  const parent = node.parentElement!;
  const style = getComputedStyle(parent);
  if (style.visibility === "hidden") return;
  ctx.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  ctx.fillStyle = style.color;
  ctx.textBaseline = "alphabetic";
  // Line by line as the browser broke them.
  const range = document.createRange();
  let line = "";
  let place: DOMRect | null = null;
  const flush = () => {
    if (place && line.trim()) ctx.fillText(line, place.left - box.left, place.bottom - box.top - 0.24 * place.height);
    line = "";
  };
  for (let i = 0; i < node.data.length; ++i) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const at = range.getClientRects()[0];
    if (!at) continue;
    if (!place || Math.abs(at.top - place.top) > 2) {
      flush();
      place = at;
    }
    line += node.data[i];
  }
  flush();
}

export async function savePicture(figure: HTMLElement, name: string, theme: Theme): Promise<void> {
  const rim = 20;
  const inner = figure.getBoundingClientRect();
  const tools = figure.querySelector(".tools")?.getBoundingClientRect();
  const box = new DOMRect(inner.left - rim, inner.top - rim, inner.width + 2 * rim, inner.height);
  const height = (tools ? tools.top : inner.bottom) - inner.top + 2 * rim;
  const ratio = 2;
  const canvas = h("canvas", { width: Math.round(box.width * ratio), height: Math.round(height * ratio) });
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  ctx.fillStyle = theme.paper;
  ctx.fillRect(0, 0, box.width, height);
  for (const element of figure.querySelectorAll<HTMLCanvasElement | SVGSVGElement>("canvas, svg")) {
    const at = element.getBoundingClientRect();
    if (!at.width) continue;
    const source = element instanceof HTMLCanvasElement ? element : await image(element);
    ctx.drawImage(source, at.left - box.left, at.top - box.top, at.width, at.height);
  }
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement!.closest("svg, .tools, .sr, .table-place, [hidden]")) words(ctx, node as Text, box);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) return;
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: `${name.replace(/[^\w-]+/g, "_").slice(0, 60) || "picture"}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
