// How a system, or the way of trying a secret on it, is called: accounts and credentials name theirs differently.
import { CREDENTIAL_TYPE_LABELS } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";

const labels: Record<string, string> = CREDENTIAL_TYPE_LABELS;

export const systemLabel = (type: string): string => labels[type] ?? capitalised(type);
