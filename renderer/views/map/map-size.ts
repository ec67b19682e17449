/** The strip at the cursor stands right of the map, with room before it. */
export const STRIP_WIDTH = 56;
export const STRIP_GAP = 10;
