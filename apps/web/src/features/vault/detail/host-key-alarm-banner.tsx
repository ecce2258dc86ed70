// The alarm for a server that presented a different host key than before.
import type { Credential } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMutation } from "#shared/api/use-mutation.ts";
import { HostKeyAlarm } from "#shared/ui/host-key-alarm.tsx";
import { hostKeyAcceptance } from "../credentials.queries.ts";

export function HostKeyAlarmBanner({ credential }: { credential: Credential }) {
  const { mutateAsync } = useMutation(hostKeyAcceptance(useQueryClient(), credential.id));
  return <HostKeyAlarm host={credential.host} alarm={credential.host_key_alarm} accept={mutateAsync} />;
}
