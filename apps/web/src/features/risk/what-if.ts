// The factors and items that the reader imagines as fixed, without side effects.
import { MOST_FIXED_ITEMS, type FixedRiskItem, type RiskFactorId } from "@strongroom/contract";
import { counted } from "#shared/format/text.ts";

export interface WhatIf {
  factors: readonly RiskFactorId[];
  /** Items of other factors. */
  items: readonly FixedRiskItem[];
}

export const NOTHING_FIXED: WhatIf = { factors: [], items: [] };

export const isNothing = ({ factors, items }: WhatIf): boolean => factors.length === 0 && items.length === 0;

export const fixedItemsOf = ({ items }: WhatIf, factor: RiskFactorId): ReadonlySet<string> =>
  new Set(items.filter((item) => item.factor === factor).map(({ id }) => id));

/** A whole factor includes its items. */
export const withFactor = ({ factors, items }: WhatIf, factor: RiskFactorId, isFixed: boolean): WhatIf => ({
  factors: isFixed ? [...factors, factor] : factors.filter((id) => id !== factor),
  items: items.filter((item) => item.factor !== factor),
});

/** The server accepts a limited number of items; further ones are left out. */
export function withItems(
  { factors, items }: WhatIf,
  factor: RiskFactorId,
  ids: readonly string[],
  isFixed: boolean,
): WhatIf {
  const rest = items.filter((item) => item.factor !== factor || !ids.includes(item.id));
  const added = isFixed ? ids.map((id) => ({ factor, id })) : [];
  return { factors, items: [...rest, ...added].slice(0, MOST_FIXED_ITEMS) };
}

/** Such as "2 factors and 1 item". */
export const fixedText = ({ factors, items }: WhatIf): string =>
  [
    ...(factors.length > 0 ? [counted(factors.length, "factor")] : []),
    ...(items.length > 0 ? [counted(items.length, "item")] : []),
  ].join(" and ");
