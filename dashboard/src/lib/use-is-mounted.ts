import { useEffect, useRef, type RefObject } from "react";

/** True while the component is on the page. An answer may arrive after that. */
export function useIsMounted(): RefObject<boolean> {
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  return mounted;
}
