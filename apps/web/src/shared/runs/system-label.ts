// Labels for systems and verification methods, which accounts and credentials name differently.
import { CREDENTIAL_TYPE_LABELS } from "@strongroom/contract";
import { capitalised } from "#shared/format/text.ts";

const labels: Record<string, string> = CREDENTIAL_TYPE_LABELS;

export const systemLabel = (type: string): string => labels[type] ?? capitalised(type);
