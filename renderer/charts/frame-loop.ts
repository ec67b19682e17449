/**
 * One pass a frame for everything that moves: first what the pointer asks for, then every picture once, from the
 * newest range and the newest answers. Pictures that follow the visible range are drawn here and not by React.
 */

type Step = () => void;

let inputs: Step[] = [];
const pictures = new Set<Step>();
let isScheduled = false;
let isDrawingWanted = false;

/** Runs `input` in the next frame, before anything is drawn in it. */
export function beforeDrawing(input: Step): void {
  inputs.push(input);
  schedule();
}

/** Something that pictures show has changed. */
export function requestDrawing(): void {
  isDrawingWanted = true;
  schedule();
}

/** Calls `picture` in every frame in which something may have changed; gives back how to end it. */
export function onDrawing(picture: Step): () => void {
  pictures.add(picture);
  return () => {
    pictures.delete(picture);
  };
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(runFrame);
}

function runFrame(): void {
  const due = inputs;
  inputs = [];
  try {
    for (const input of due) input();
  } finally {
    isScheduled = false;
    if (inputs.length > 0) schedule();
  }
  if (!isDrawingWanted) return;
  isDrawingWanted = false;
  for (const picture of [...pictures]) picture();
}
