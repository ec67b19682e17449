/** A key with its modifiers, as it is pressed and as it is written. `control` is Cmd on a Mac. */
export interface Keys {
  /** A letter or digit in lower case, or a KeyboardEvent.key such as "ArrowLeft". */
  readonly key: string;
  readonly control?: boolean;
  readonly shift?: boolean;
  readonly alt?: boolean;
}

/** The parts of a KeyboardEvent that matter. */
export interface Pressed {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** Keys whose character changes with shift, or with the keyboard's layout under Alt. */
const CODES: Readonly<Record<string, string>> = { '[': 'BracketLeft', ']': 'BracketRight' };
/** Characters that are typed with shift on some keyboards, so shift says nothing. */
const TYPED_WITH_SHIFT = new Set(['?', '[', ']']);

export function matches(keys: Keys, pressed: Pressed, isMac: boolean): boolean {
  const control = isMac ? pressed.metaKey : pressed.ctrlKey;
  const other = isMac ? pressed.ctrlKey : pressed.metaKey;
  if (control !== (keys.control ?? false) || other || pressed.altKey !== (keys.alt ?? false)) return false;
  const code = CODES[keys.key];
  if (code !== undefined && pressed.code === code) return pressed.shiftKey === (keys.shift ?? false);
  const isShiftFree = TYPED_WITH_SHIFT.has(keys.key) && !keys.shift;
  if (!isShiftFree && pressed.shiftKey !== (keys.shift ?? false)) return false;
  if (pressed.key.toLowerCase() === keys.key.toLowerCase()) return true;
  return (keys.alt ?? false) && pressed.code === `Key${keys.key.toUpperCase()}`;
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

export function writeKeys(keys: Keys, isMac: boolean): string {
  const parts = [
    keys.control ? (isMac ? 'Cmd' : 'Ctrl') : null,
    keys.alt ? (isMac ? 'Option' : 'Alt') : null,
    keys.shift ? 'Shift' : null,
    NAMES[keys.key] ?? (keys.key.length === 1 ? keys.key.toUpperCase() : keys.key),
  ];
  return parts.filter((part) => part !== null).join(' ');
}
