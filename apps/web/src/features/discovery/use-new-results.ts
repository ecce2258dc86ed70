// Reports scans that ended since the last load (SCAN-22).
import { useEffect, useRef } from "react";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";

/** `ended` is the number of scans that ended; undefined while it loads. */
export function useNewResults(ended: number | undefined): void {
  const known = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (ended === undefined) return;
    const added = known.current === undefined ? 0 : ended - known.current;
    known.current = ended;
    if (added > 0) toast.success(`${counted(added, "new scan result")} available`);
  }, [ended]);
}
