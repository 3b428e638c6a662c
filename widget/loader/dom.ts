const svgSpace = "http://www.w3.org/2000/svg";

/** Makes an element with attributes. Nothing here parses HTML, which Trusted Types would refuse. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key] ?? "");
  element.append(...children);
  return element;
}

/** Makes an icon of 24 by 24 units from the data of its path. */
export function makeIcon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgSpace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svgSpace, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Paths of the launcher's icons. */
export const icons = {
  chat: "M21 11.5a8.4 8.4 0 0 1-12.2 7.5L3 21l2-5.8A8.4 8.4 0 1 1 21 11.5zM8.5 11.5h.01M12.5 11.5h.01M16.5 11.5h.01",
  close: "M6 6l12 12M18 6L6 18",
  down: "M5 9l7 7 7-7",
};
