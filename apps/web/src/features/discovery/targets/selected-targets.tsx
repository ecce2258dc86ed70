// The bar of the selected targets: how many there are, and the scans that start on all of them.
import { Button } from "@mantine/core";
import { IconRadar2 } from "@tabler/icons-react";
import { MOST_SCANNED_TARGETS, hasAccounts, type DiscoveryTarget } from "@strongroom/contract";
import { useState } from "react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import type { StartedScans, TargetAction } from "#shared/discovery/discovery-tab.ts";
import { counted } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { useIsHere } from "#shared/ui/use-is-here.ts";
import classes from "../discovery.module.css";
import { matchingTargets, type TargetFilter } from "../discovery.queries.ts";
import { StartScanDialog } from "../scans/start-scan-dialog.tsx";
import { SkippedTargetsDialog } from "./skipped-targets-dialog.tsx";
import type { TargetSelection } from "./use-target-selection.ts";

export interface SelectedTargetsProps {
  selection: TargetSelection;
  filter: TargetFilter;
  /** The number of targets that match, on all pages. */
  total: number;
  action: TargetAction | undefined;
}

type Chosen = readonly [DiscoveryTarget, ...DiscoveryTarget[]];
type ScanDialog = "scan" | "action";

/** The bar is shown while targets are selected; its dialogs stay until they are closed. */
export function SelectedTargets({ selection, filter, total, action }: SelectedTargetsProps) {
  const { targets } = selection;
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [dialog, setDialog] = useState<ScanDialog | null>(null);
  const [reply, setReply] = useState<StartedScans | null>(null);
  const isHere = useIsHere();
  const [first, ...others] = targets;
  const open = (which: ScanDialog) => {
    if (first === undefined) return;
    setChosen([first, ...others]);
    setDialog(which);
  };
  const onStarted = (done: StartedScans) => {
    selection.clear();
    if (done.skipped.length === 0) toast.success(done.message);
    else if (isHere()) setReply(done);
    else toast.error(done.message);
  };
  const propsOf = (which: ScanDialog) => ({ opened: dialog === which, onClose: () => setDialog(null), onStarted });
  return (
    <>
      {targets.length > 0 && (
        <div className={classes.bar} role="region" aria-label="Selected targets">
          <p className={classes.selected} role="status">
            {`${counted(targets.length, "target")} selected`}
            {targets.length === MOST_SCANNED_TARGETS && ", the most at once"}
          </p>
          <SelectAllButton selection={selection} filter={filter} total={total} />
          {targets.some(({ target_type }) => hasAccounts(target_type)) && (
            <Button leftSection={<IconRadar2 size={16} aria-hidden />} onClick={() => open("scan")}>
              Scan
            </Button>
          )}
          {action !== undefined && targets.some(action.isOffered) && (
            <Button variant="light" leftSection={<action.icon size={16} aria-hidden />} onClick={() => open("action")}>
              {action.label}
            </Button>
          )}
          <Button variant="default" onClick={selection.clear}>
            Clear
          </Button>
        </div>
      )}
      {chosen !== null && (
        <>
          <StartScanDialog targets={chosen} {...propsOf("scan")} />
          {action !== undefined && <action.Dialog targets={chosen} {...propsOf("action")} />}
          <SkippedTargetsDialog reply={reply} targets={chosen} onClose={() => setReply(null)} />
        </>
      )}
    </>
  );
}

function SelectAllButton({ selection, filter, total }: Omit<SelectedTargetsProps, "action">) {
  const { mutate, isPending } = useMutation(matchingTargets);
  // The rest of the matching targets cannot be selected.
  const [everything, setEverything] = useState<number | null>(null);
  const count = selection.targets.length;
  if (count >= Math.min(total, MOST_SCANNED_TARGETS) || count === everything) return null;
  const label =
    total > MOST_SCANNED_TARGETS
      ? `Select the First ${MOST_SCANNED_TARGETS} of ${total.toLocaleString()} Matching`
      : `Select All ${total.toLocaleString()} Matching`;
  return (
    <Button
      variant="subtle"
      loading={isPending}
      onClick={() =>
        mutate(filter, {
          onSuccess: (targets) => {
            setEverything(targets.filter(({ can_manage }) => can_manage).length);
            selection.selectAll(targets);
          },
          onError: (error) => toast.error(messageOf(error), { title: "Failed to select the targets" }),
        })
      }
    >
      {label}
    </Button>
  );
}
