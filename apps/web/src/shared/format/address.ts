// Filters and tabs as stored in the address.

/** Returns the parameters with one of them set, or removed when its value is empty; the others stay. */
export function withParam(params: URLSearchParams, part: string, value: string): URLSearchParams {
  const next = new URLSearchParams(params);
  if (value.trim() === "") next.delete(part);
  else next.set(part, value.trim());
  return next;
}

/** The search text that `AddressSearch` writes; undefined when empty. */
export function searchOf(params: URLSearchParams, most = 100): string | undefined {
  const search = (params.get("search") ?? "").trim().slice(0, most);
  return search === "" ? undefined : search;
}

/** One of the choices; the first one when the address has none of them. */
export function choiceOf<T extends string>(params: URLSearchParams, part: string, choices: readonly [T, ...T[]]): T {
  const given = params.get(part);
  return choices.find((choice) => choice === given) ?? choices[0];
}
