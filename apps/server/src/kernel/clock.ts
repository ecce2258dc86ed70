// Time as an argument: what needs to know the time is handed a clock.

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
