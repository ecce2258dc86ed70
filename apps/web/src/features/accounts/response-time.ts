// How long a system took to answer, as the validation history shows it (ACC-85).

/** "120ms", "1.50s". */
export const responseTimeText = (ms: number): string => (ms < 1000 ? `${ms}ms` : `${(ms / 1000).toFixed(2)}s`);
