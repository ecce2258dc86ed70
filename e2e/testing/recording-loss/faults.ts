// The faults of the loss proof. Each fault stops a part of the product at a random moment and then brings it back.
import { setTimeout as delay } from "node:timers/promises";
import type { LossBed } from "./test-bed.ts";

export interface Fault {
  name: string;
  /** Whether the fault is part of the test suite; the other faults are only part of the command. */
  isBrief: boolean;
  /** Whether the fault ends the sessions of the gateway without a closing record. */
  killsGateway: boolean;
  needsDisk: boolean;
  /** Recordings must be in a bucket. */
  needsBucket: boolean;
  /**
   * Whether the closing record may be missing too, because the store was unavailable for as long as the recorder
   * retries.
   */
  mayStayOpen: boolean;
  inject(bed: LossBed): Promise<void>;
}

const fullFor = (seconds: number, isBrief: boolean): Fault => ({
  name: `full disk for ${seconds} s`,
  isBrief,
  killsGateway: false,
  needsDisk: true,
  needsBucket: false,
  mayStayOpen: false,
  async inject(bed) {
    bed.fillDisk();
    await delay(seconds * 1000);
    bed.freeDisk();
  },
});

const storeStoppedFor = (seconds: number, isBrief: boolean): Fault => ({
  name: `object store stopped for ${seconds} s`,
  isBrief,
  killsGateway: false,
  needsDisk: false,
  needsBucket: true,
  mayStayOpen: seconds > 10,
  async inject(bed) {
    bed.stopStore();
    await delay(seconds * 1000);
    bed.continueStore();
  },
});

export const FAULTS: readonly Fault[] = [
  {
    name: "kill -9 of the gateway",
    isBrief: true,
    killsGateway: true,
    needsDisk: false,
    needsBucket: false,
    mayStayOpen: false,
    async inject(bed) {
      await bed.killGateway();
      await bed.startGateway();
    },
  },
  {
    name: "kill -9 of the server",
    isBrief: true,
    killsGateway: false,
    needsDisk: false,
    needsBucket: false,
    mayStayOpen: false,
    async inject(bed) {
      await bed.killServer();
      await bed.startServer();
    },
  },
  {
    name: "kill -9 of the database",
    isBrief: true,
    killsGateway: false,
    needsDisk: false,
    needsBucket: false,
    mayStayOpen: false,
    async inject(bed) {
      bed.killDatabase();
      await delay(3000);
    },
  },
  {
    name: "kill -9 of gateway, server and database",
    isBrief: true,
    killsGateway: true,
    needsDisk: false,
    needsBucket: false,
    mayStayOpen: false,
    async inject(bed) {
      bed.killDatabase();
      await Promise.all([bed.killGateway(), bed.killServer()]);
      await bed.startServer();
      await bed.startGateway();
    },
  },
  fullFor(1, false),
  fullFor(4, false),
  fullFor(12, true),
  storeStoppedFor(1, false),
  storeStoppedFor(4, false),
  storeStoppedFor(12, true),
  {
    name: "kill -9 of the object store",
    isBrief: true,
    killsGateway: false,
    needsDisk: false,
    needsBucket: true,
    // A restart on a busy machine can take longer than the recorder tries.
    mayStayOpen: true,
    async inject(bed) {
      await bed.killStore();
      await delay(3000);
      await bed.startStore();
    },
  },
  {
    name: "kill -9 of the gateway that stores objects",
    isBrief: true,
    killsGateway: true,
    needsDisk: false,
    needsBucket: true,
    mayStayOpen: false,
    async inject(bed) {
      await bed.killGateway();
      await bed.startGateway();
    },
  },
];
