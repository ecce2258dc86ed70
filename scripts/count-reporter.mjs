// A node:test reporter that counts results and collects skipped tests with their reasons, for the summary of `npm test`.
export const noCounts = () => ({ passed: 0, failed: 0, skipped: [] });

/** @param {"test:pass" | "test:fail"} type */
export function countTest(counts, type, data) {
  if (data.details?.type === "suite") return;
  if (data.skip !== undefined && data.skip !== false) {
    counts.skipped.push({ name: data.name, reason: data.skip === true ? "" : String(data.skip) });
  } else if (type === "test:pass") counts.passed += 1;
  else counts.failed += 1;
}

export default async function* countReporter(source) {
  const counts = noCounts();
  for await (const { type, data } of source) {
    if (type === "test:pass" || type === "test:fail") countTest(counts, type, data);
  }
  yield `${JSON.stringify(counts)}\n`;
}
