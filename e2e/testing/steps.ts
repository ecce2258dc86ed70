// Tests that follow on each other, as the steps of one visit: after one has failed, the rest say so at once.
import { test } from "node:test";
import type { TestOptions } from "node:test";
import type { Page } from "playwright-core";
import { takePicture } from "./inspect-screen.ts";

export interface Step {
  (name: string, work: () => Promise<void>): void;
  (name: string, options: TestOptions, work: () => Promise<void>): void;
}

/** `page` is what a failed step leaves a picture of, once there is one. */
export function steps(page: () => Page | undefined): Step {
  let failed: string | null = null;
  return (name: string, ...rest: [() => Promise<void>] | [TestOptions, () => Promise<void>]): void => {
    const [options, work] = rest.length === 2 ? rest : [{}, rest[0]];
    void test(name, options, async () => {
      if (failed !== null) throw new Error(`Not tried, because this step failed: ${failed}`);
      try {
        await work();
      } catch (error) {
        failed = name;
        const there = page();
        // The failure itself is what counts; a page that is gone has no picture.
        if (there !== undefined)
          await takePicture(there, `failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => undefined);
        throw error;
      }
    });
  };
}
