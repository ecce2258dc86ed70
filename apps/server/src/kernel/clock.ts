// The clock, passed as an argument to code that needs the time.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
