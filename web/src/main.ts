// One page for three uses: with a document in it, a report or the gallery; without, the studio.
import "./kit/style.css";

const page = document.getElementById("page")!;
const held = JSON.parse(document.getElementById("document")!.textContent ?? "null") as unknown;
page.textContent = held === null ? "studio" : "document";
