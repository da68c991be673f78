// One page for three uses: with a document in it, a report or the gallery; without, the studio.
import "./kit/style.css";
import type { Document } from "./charts/types";
import { watchTheme } from "./kit/theme";
import { showDocument } from "./report/page";
import { studio } from "./studio";

const page = document.getElementById("page")!;
const held = JSON.parse(document.getElementById("document")!.textContent ?? "null") as Document | null;
watchTheme();
if (held) showDocument(page, held);
else void studio(page);
