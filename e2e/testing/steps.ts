// Consecutive tests as steps of one visit: after a failure, the remaining steps fail immediately.
import { test } from "node:test";
import type { TestOptions } from "node:test";
import type { Page } from "playwright-core";
import { takePicture } from "./inspect-screen.ts";

export interface Step {
  (name: string, work: () => Promise<void>): void;
  (name: string, options: TestOptions, work: () => Promise<void>): void;
}

/** `page` is saved as a screenshot after a failed step. */
export function steps(page: () => Page | undefined): Step {
  let failed: string | null = null;
  return (name: string, ...rest: [() => Promise<void>] | [TestOptions, () => Promise<void>]): void => {
    const [options, work] = rest.length === 2 ? rest : [{}, rest[0]];
    void test(name, options, async () => {
      if (failed !== null) throw new Error(`Skipped, because this step failed: ${failed}`);
      try {
        await work();
      } catch (error) {
        failed = name;
        const there = page();
        // The test's failure matters more than the screenshot, which a closed page cannot give.
        if (there !== undefined)
          await takePicture(there, `failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => undefined);
        throw error;
      }
    });
  };
}
