/**
 * Where the pointer is in an element's own pixels. The interface's scale makes those larger than the window's, in which
 * events and boxes are measured.
 */
export function pointerIn(
  element: Element,
  event: { readonly clientX: number; readonly clientY: number },
): { readonly x: number; readonly y: number } {
  const box = element.getBoundingClientRect();
  const zoom = zoomOf(element);
  return { x: (event.clientX - box.left) / zoom, y: (event.clientY - box.top) / zoom };
}

/** How many of the window's pixels one of the element's own takes. */
export function zoomOf(element: Element): number {
  return element.currentCSSZoom || 1;
}
