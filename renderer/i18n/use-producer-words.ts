import { useTranslation } from 'react-i18next';

const BY_KEYS = /^PyTorch (\d+\.\d+)(?: to (\d+\.\d+)| (or later))?, by its keys$/;
const ASCEND = 'torch_npu for Ascend';

/**
 * What wrote a capture, in the language of the page. The engine says it in English, in the few forms of
 * native/capture/producer.cc; any other form is shown as it is.
 */
export function useProducerWords(): (producer: string) => string {
  const { t } = useTranslation();
  return (producer) => {
    if (producer.startsWith(ASCEND)) return t('producer.ascend');
    const [, first, last, later] = BY_KEYS.exec(producer) ?? [];
    if (first === undefined) return producer;
    if (last !== undefined) return t('producer.range', { first, last });
    return t(later === undefined ? 'producer.exact' : 'producer.since', { first });
  };
}
