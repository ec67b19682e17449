/** A translated sentence in which `**` marks the number that answers. */
export function Emphasis({ text }: { readonly text: string }) {
  return text.split('**').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never change places
      <strong key={index}>{part}</strong>
    ) : (
      part
    ),
  );
}
