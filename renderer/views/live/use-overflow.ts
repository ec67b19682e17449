import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Whether an element holds more than its height shows, as it was when it was drawn last. */
export function useOverflow<E extends HTMLElement>(): [RefObject<E | null>, boolean] {
  const place = useRef<E>(null);
  const [isMore, setMore] = useState(false);
  useLayoutEffect(() => {
    const element = place.current;
    // a pixel, because both heights are rounded
    if (element !== null) setMore(element.scrollHeight > element.clientHeight + 1);
  });
  return [place, isMore];
}
