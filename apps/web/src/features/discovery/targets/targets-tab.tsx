// The Discovery Targets tab: targets, and the scans of networks that find more of them (DISC-10, OPEN-108).
import { SegmentedControl, Stack } from "@mantine/core";
import { useSearchParams } from "react-router";
import { choiceOf } from "#shared/format/address.ts";
import { RangeList } from "../ranges/range-list.tsx";
import { TargetList, type TargetListProps } from "./target-list.tsx";

const VIEWS = ["targets", "ranges"] as const;

export function TargetsTab(props: TargetListProps) {
  const [params, setParams] = useSearchParams();
  const view = choiceOf(params, "view", VIEWS);
  return (
    <Stack gap="md" mt="md" align="stretch">
      <SegmentedControl
        aria-label="Discovery targets"
        style={{ alignSelf: "start" }}
        data={[
          { value: "targets", label: "Targets" },
          { value: "ranges", label: "IP Ranges" },
        ]}
        value={view}
        onChange={(next) => setParams(next === VIEWS[0] ? {} : { tab: "targets", view: next })}
      />
      {view === "targets" && <TargetList {...props} />}
      {view === "ranges" && <RangeList />}
    </Stack>
  );
}
