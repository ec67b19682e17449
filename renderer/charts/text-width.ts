/** Widths of names at the size of chart labels (11 px, 600), measured once each. */
const widths = new Map<string, number>();
let surface: CanvasRenderingContext2D | null = null;

export function measureText(text: string): number {
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (surface === null) {
    surface = document.createElement('canvas').getContext('2d');
    if (surface !== null) surface.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  }
  const width = surface?.measureText(text).width ?? text.length * 6.2;
  widths.set(text, width);
  return width;
}
