import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../design/icons.tsx';

const SHOWN_MS = 1600;

/** Copies exact values as text, and says that it did. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
  };
  return (
    <button
      type="button"
      className="button ghost copy-button"
      aria-label={label}
      title={label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'good' : 'copy'} isSmall />
      <span className="unseen" role="status">
        {isCopied ? t('action.copied') : ''}
      </span>
    </button>
  );
}
