// Filters and tabs as the address holds them.

/** The address with one part set, or taken out when empty; its other parts stay. */
export function withParam(params: URLSearchParams, part: string, value: string): URLSearchParams {
  const next = new URLSearchParams(params);
  if (value.trim() === "") next.delete(part);
  else next.set(part, value.trim());
  return next;
}

/** What is searched for, as `AddressSearch` leaves it; undefined when nothing is. */
export function searchOf(params: URLSearchParams, most = 100): string | undefined {
  const search = (params.get("search") ?? "").trim().slice(0, most);
  return search === "" ? undefined : search;
}

/** One of the choices; the first when the address names none of them. */
export function choiceOf<T extends string>(params: URLSearchParams, part: string, choices: readonly [T, ...T[]]): T {
  const given = params.get(part);
  return choices.find((choice) => choice === given) ?? choices[0];
}
