// The alarm about a target whose host presented a different key.
import type { DiscoveryTarget } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { HostKeyAlarm } from "#shared/ui/host-key-alarm.tsx";
import { hostKeyAcceptance } from "../discovery.queries.ts";

export const hasHostKeyAlarm = ({ host_key: pinned, offered_host_key: offered }: DiscoveryTarget): boolean =>
  pinned !== null && offered !== null;

export const hostKeyText = ({ type, fingerprint }: NonNullable<DiscoveryTarget["host_key"]>): string =>
  `${type} ${fingerprint}`;

/** Only for users who can manage the target. */
export function TargetHostKey({ target }: { target: DiscoveryTarget }) {
  const { mutateAsync: accept } = useMutation(hostKeyAcceptance(useQueryClient(), target.id));
  const { host_key: pinned, offered_host_key: offered, can_manage: canManage } = target;
  if (pinned === null || offered === null || !canManage) return null;
  return (
    <HostKeyAlarm
      host={target.hostname}
      alarm={{ expected: hostKeyText(pinned), presented: hostKeyText(offered) }}
      accept={accept}
    />
  );
}
