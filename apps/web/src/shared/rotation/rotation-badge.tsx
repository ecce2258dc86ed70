// A rotation's state as colour, icon and label.
import { Loader } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconClockPause,
  IconPencil,
  IconRefresh,
  type Icon,
} from "@tabler/icons-react";
import type { RotationState } from "@strongroom/contract";
import { Tag } from "#shared/ui/tag.tsx";
import { STATE_BADGES } from "./rotation-labels.ts";

const ICONS: Record<Exclude<RotationState, "running">, Icon> = {
  queued: IconRefresh,
  waiting: IconClockPause,
  attention: IconAlertTriangle,
  rotated: IconCircleCheck,
  cancelled: IconCircleMinus,
  superseded: IconPencil,
};

export function RotationStateBadge({ state }: { state: RotationState }) {
  const { label, tone } = STATE_BADGES[state];
  const StateIcon = state === "running" ? null : ICONS[state];
  return (
    <Tag
      tone={tone}
      icon={
        StateIcon === null ? <Loader size={11} color="currentColor" aria-hidden /> : <StateIcon size={13} aria-hidden />
      }
    >
      {label}
    </Tag>
  );
}
