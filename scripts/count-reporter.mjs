// A reporter for node:test that counts, and keeps what was skipped with its reason, for the summary of `npm test`.
export default async function* countReporter(source) {
  const counts = { passed: 0, failed: 0, skipped: [] };
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    if (data.skip !== undefined && data.skip !== false) {
      counts.skipped.push({ name: data.name, reason: data.skip === true ? "" : String(data.skip) });
    } else if (type === "test:pass") counts.passed += 1;
    else counts.failed += 1;
  }
  yield `${JSON.stringify(counts)}\n`;
}
