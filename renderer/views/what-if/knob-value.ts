import type { KnobInfo } from '../../../app/contract/simulation.ts';
import { parseSize, typedSize } from '../../../app/domain/size.ts';

/** What is wrong with what a user wrote into a knob; the engine has the last word. */
export type KnobFault =
  | { readonly kind: 'size' }
  | { readonly kind: 'wholeNumber' }
  | { readonly kind: 'number' }
  | { readonly kind: 'least'; readonly least: number }
  | { readonly kind: 'most'; readonly most: number };

/** Null when the text can be asked about; an empty one means "not set". */
export function faultOf(knob: KnobInfo, text: string): KnobFault | null {
  const written = text.trim();
  if (written === '' || !isNumeric(knob)) return null;
  const value = numberOf(knob, written);
  if (value === null) return { kind: syntaxOf(knob) };
  if (knob.least !== null && value < knob.least) return { kind: 'least', least: knob.least };
  if (knob.most !== null && value > knob.most) return { kind: 'most', most: knob.most };
  return null;
}

const isNumeric = ({ kind }: KnobInfo) => kind === 'bytes' || kind === 'count' || kind === 'fraction';

const syntaxOf = ({ kind }: KnobInfo) =>
  kind === 'bytes' ? 'size' : kind === 'count' ? 'wholeNumber' : 'number';

function numberOf({ kind }: KnobInfo, text: string): number | null {
  if (kind === 'bytes') return /^0\s*B?$/i.test(text) ? 0 : parseSize(text);
  if (kind === 'count') return /^\d{1,15}$/.test(text) ? Number(text) : null;
  return /^\d*\.?\d+$/.test(text) ? Number(text) : null;
}

/** As the engine reads it: sizes as whole bytes, so that a unit the page knows is never refused. */
export function knobArgument(knob: KnobInfo, text: string): string {
  const written = text.trim();
  if (knob.kind !== 'bytes' || written === '') return written;
  const bytes = numberOf(knob, written);
  return bytes === null ? written : String(bytes);
}

/** A size that is stored in bytes is shown in the unit in which it is a whole number. */
export function knobText(knob: KnobInfo, text: string): string {
  if (knob.kind !== 'bytes' || !/^\d+$/.test(text)) return text;
  return typedSize(Number(text));
}
