// How a system type is called: accounts and credentials name theirs differently.
import { CREDENTIAL_TYPE_LABELS } from "@strongroom/contract";

const labels: Record<string, string> = CREDENTIAL_TYPE_LABELS;

/** The type itself when it has no other name. */
export const systemLabel = (type: string): string => labels[type] ?? type;
