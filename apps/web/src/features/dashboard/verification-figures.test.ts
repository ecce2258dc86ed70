import { describe, expect, test } from "vitest";
import { ZEROS, verificationFigures, type FigureSources } from "./verification-figures.ts";

const statistics = {
  total_accounts: 10,
  verified: 6,
  pending: 1,
  failed: 2,
  never_validated: 1,
  success_rate: 80,
  last_24h_attempts: 5,
  last_24h_successes: 4,
  last_24h_failures: 1,
  average_validation_time: 120,
};
const accounts = { total: 7, active: 7, requiring_rotation: 0, validation_valid: 4, validation_invalid: 1 };

function sources(given: Partial<FigureSources> = {}): FigureSources {
  const fail = () => Promise.reject(new Error("503"));
  return { validation: fail, accounts: fail, signal: new AbortController().signal, ...given };
}

describe("DASH-13: the figures of verification", () => {
  test("come from the validation statistics, and nobody else is asked", async () => {
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
      verified: 6,
      failed: 2,
      neverVerified: 1,
      successRate: 80,
    });
    expect(isAsked).toBe(false);
  });

  test("else from the account statistics", async () => {
    const figures = await verificationFigures(sources({ accounts: () => Promise.resolve(accounts) }));
    expect(figures).toMatchObject({ source: "accounts", total: 7, verified: 4, failed: 1, neverVerified: 2 });
  });

  test("else are zeros that say of themselves that they mean nothing", async () => {
    expect(await verificationFigures(sources())).toEqual(ZEROS);
    expect(ZEROS.source).toBe("none");
  });

  test("no attempts in 24 hours are no success rate of 0 percent", async () => {
    const quiet = { ...statistics, last_24h_attempts: 0, success_rate: 0 };
    const figures = await verificationFigures(sources({ validation: () => Promise.resolve(quiet) }));
    expect(figures.successRate).toBeNull();
  });

  test("an abort asks nobody further", async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(verificationFigures(sources({ signal: stop.signal }))).rejects.toThrow();
  });
});
