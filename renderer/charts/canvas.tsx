import { useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useStore } from '../state/store.ts';
import { onDrawing } from './frame-loop.ts';

/** Draws on a surface whose unit is the CSS pixel; `ratio` device pixels make one. */
export type Draw = (surface: CanvasRenderingContext2D, ratio: number) => void;

interface Place {
  readonly width: number;
  readonly height: number;
  readonly left?: number;
  readonly top?: number;
}

/** A canvas of exactly as many device pixels as it covers. It holds marks only, so it is hidden from screen readers. */
export function Canvas({ draw, ...place }: Place & { readonly draw: Draw }) {
  return <MovingCanvas {...place} picture={() => draw} />;
}

/**
 * A canvas that is drawn anew in every frame in which `picture` gives something new, without React. Null draws nothing;
 * the same function as before means that nothing has changed.
 */
export function MovingCanvas({
  width,
  height,
  picture,
  left = 0,
  top = 0,
}: Place & { readonly picture: () => Draw | null }) {
  const element = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Draw | null | undefined>(undefined);
  const ratio = usePixelRatio();
  const deviceWidth = Math.max(1, Math.round(width * ratio));
  const deviceHeight = Math.max(1, Math.round(height * ratio));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a canvas of another size is empty
  useLayoutEffect(() => {
    drawn.current = undefined;
  }, [ratio, deviceWidth, deviceHeight]);
  useLayoutEffect(() => {
    const surface = element.current?.getContext('2d');
    if (!surface) return;
    const redraw = () => {
      const draw = picture();
      if (draw === drawn.current) return;
      drawn.current = draw;
      surface.setTransform(ratio, 0, 0, ratio, 0, 0);
      surface.clearRect(0, 0, deviceWidth, deviceHeight);
      draw?.(surface, ratio);
    };
    redraw();
    return onDrawing(redraw);
  });
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a canvas without content takes no focus
    <canvas
      ref={element}
      aria-hidden="true"
      width={deviceWidth}
      height={deviceHeight}
      style={{ position: 'absolute', left, top, width, height, pointerEvents: 'none' }}
    />
  );
}

function onRatioChange(changed: () => void): () => void {
  const query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
  query.addEventListener('change', changed);
  window.addEventListener('resize', changed);
  return () => {
    query.removeEventListener('change', changed);
    window.removeEventListener('resize', changed);
  };
}

/** Device pixels a CSS pixel; follows the window from screen to screen and the page's zoom. */
export function usePixelRatio(): number {
  const scale = useStore((state) => state.settings.scalePercent) / 100;
  return useSyncExternalStore(onRatioChange, () => window.devicePixelRatio || 1) * scale;
}

/** The size of an element, in CSS pixels; 0 by 0 until it was laid out. */
export function useSize<E extends HTMLElement>(): readonly [
  (element: E | null) => void,
  { readonly width: number; readonly height: number },
] {
  const [element, setElement] = useState<E | null>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, size];
}

/** Pixels that can be drawn stretched. */
export interface Picture {
  readonly image: HTMLCanvasElement;
  readonly width: number;
  readonly height: number;
}

/** Puts pixels (words of ImageData, row by row) on one canvas, again and again; each is a new object. */
export function pictureMaker(): (pixels: Uint32Array, width: number, height: number) => Picture {
  const canvas = document.createElement('canvas');
  return (pixels, width, height) => {
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const bytes = new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.byteLength);
    canvas.getContext('2d')?.putImageData(new ImageData(bytes, width, height), 0, 0);
    return { image: canvas, width, height };
  };
}

/** Pixels as a picture, or null while there are none. */
export function usePicture(pixels: Uint32Array | null, width: number, height: number): Picture | null {
  const [make] = useState(pictureMaker);
  return useMemo(
    () => (pixels === null || width === 0 || height === 0 ? null : make(pixels, width, height)),
    [make, pixels, width, height],
  );
}
