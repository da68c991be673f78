// A button that turns the lights on or off.
import { h } from "./dom";
import { chooseTheme, onTheme, theme } from "./theme";

export function themeSwitch(): HTMLElement {
  const button = h("button", { type: "button", class: "quiet theme-switch" });
  const say = () => (button.textContent = theme().dark ? "Light" : "Dark");
  button.title = "Light or dark";
  button.addEventListener("click", () => chooseTheme(theme().dark ? "light" : "dark"));
  onTheme(say);
  say();
  return button;
}
