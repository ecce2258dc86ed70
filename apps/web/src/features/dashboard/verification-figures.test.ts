import { describe, expect, test } from "vitest";
import { ZEROS, verificationFigures, type FigureSources } from "./verification-figures.ts";

const statistics = {
  total_accounts: 10,
  verified: 6,
  pending: 1,
  failed: 2,
  rejected: 1,
  unreachable: 1,
  misconfigured: 0,
  never_validated: 1,
  success_rate: 80,
  last_24h_attempts: 5,
  last_24h_successes: 4,
  last_24h_failures: 1,
  average_validation_time: 120,
};
const accounts = {
  total: 7,
  active: 7,
  requiring_rotation: 0,
  validation_valid: 4,
  validation_invalid: 1,
  validation_unreachable: 0,
  validation_misconfigured: 0,
  validation_pending: 0,
};

function sources(given: Partial<FigureSources> = {}): FigureSources {
  const fail = () => Promise.reject(new Error("503"));
  return { validation: fail, accounts: fail, signal: new AbortController().signal, ...given };
}

describe("DASH-13: verification figures", () => {
  test("the figures come from the validation statistics without another call", async () => {
    let isAsked = false;
    const figures = await verificationFigures(
      sources({
        validation: () => Promise.resolve(statistics),
        accounts: () => {
          isAsked = true;
          return Promise.resolve(accounts);
        },
      }),
    );
    expect(figures).toMatchObject({
      source: "validation",
      total: 10,
      counts: { verified: 6, rejected: 1, unreachable: 1, untested: 1 },
      successRate: 80,
    });
    expect(isAsked).toBe(false);
  });

  test("the figures come from the account statistics when the first call fails", async () => {
    const figures = await verificationFigures(sources({ accounts: () => Promise.resolve(accounts) }));
    expect(figures).toMatchObject({ source: "accounts", total: 7, counts: { verified: 4, rejected: 1, untested: 2 } });
  });

  test('the figures are zeros with the source "none" when both calls fail', async () => {
    expect(await verificationFigures(sources())).toEqual(ZEROS);
    expect(ZEROS.source).toBe("none");
  });

  test("the success rate is missing when there were no attempts in 24 hours", async () => {
    const quiet = { ...statistics, last_24h_attempts: 0, success_rate: 0 };
    const figures = await verificationFigures(sources({ validation: () => Promise.resolve(quiet) }));
    expect(figures.successRate).toBeNull();
  });

  test("an abort prevents further calls", async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(verificationFigures(sources({ signal: stop.signal }))).rejects.toThrow();
  });
});
