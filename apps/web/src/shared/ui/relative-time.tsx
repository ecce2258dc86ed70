// A self-updating time such as "5m ago", with the absolute time as tooltip (SHELL-32, SHELL-34).
import { useNow } from "#shared/format/now.ts";
import { absoluteTime, relativeTime } from "#shared/format/time.ts";

export interface RelativeTimeProps {
  moment: string | null;
  /** Shown when there is no time. */
  none?: string;
}

export function RelativeTime({ moment, none = "Never" }: RelativeTimeProps) {
  const now = useNow();
  if (moment === null) return <span>{none}</span>;
  return (
    <time dateTime={moment} title={absoluteTime(moment)}>
      {relativeTime(moment, now)}
    </time>
  );
}
