// A rotation that is waiting for a person: the reason, the advice and the buttons.
import { Button } from "@mantine/core";
import { IconPencil, IconRefresh, IconTool, type Icon } from "@tabler/icons-react";
import type { Rotation } from "@strongroom/contract";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { toneStyle } from "#shared/ui/tone.ts";
import { remediesOf, type Remedy } from "./rotation-labels.ts";
import { rotating, type Rotated } from "./rotation.queries.ts";
import classes from "./rotation.module.css";

/** The actions available to the caller besides retrying; each opens its dialog. */
export type Remedies = Partial<Record<Exclude<Remedy, "again">, () => void>>;

const LOOKS: Record<Remedy, { label: string; icon: Icon }> = {
  again: { label: "Try Again", icon: IconRefresh },
  reconcile: { label: "Reconcile", icon: IconTool },
  store: { label: "Store a Known Password", icon: IconPencil },
};

export interface RotationAttentionProps {
  of: Rotated;
  rotation: Rotation;
  mayRotate: boolean;
  remedies: Remedies;
}

export function RotationAttention({ of, rotation, mayRotate, remedies }: RotationAttentionProps) {
  const { mutate, isPending } = useMutation(rotating(useQueryClient(), of));
  const again = () =>
    mutate(undefined, {
      onSuccess: ({ message }) => toast.success(message),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to rotate password" }),
    });
  const actions: Partial<Record<Remedy, () => void>> = { ...remedies, ...(mayRotate ? { again } : {}) };
  const offered = remediesOf(rotation).filter((remedy) => actions[remedy] !== undefined);
  return (
    <>
      <div className={classes.attention} style={toneStyle("danger")} role="alert">
        <p>{rotation.message}</p>
      </div>
      <div className={classes.remedies}>
        {offered.map((remedy, at) => {
          const { label, icon: RemedyIcon } = LOOKS[remedy];
          return (
            <Button
              key={remedy}
              variant={at === 0 ? "light" : "default"}
              fullWidth
              leftSection={<RemedyIcon size={16} aria-hidden />}
              onClick={actions[remedy]}
              loading={remedy === "again" && isPending}
            >
              {label}
            </Button>
          );
        })}
      </div>
    </>
  );
}
