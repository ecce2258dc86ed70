// A page's tabs with their counts and the content of the selected one, which is stored in the address.
import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./page-tabs.module.css";
import strip from "./scroll-strip.module.css";
import { useTabInView } from "./use-tab-in-view.ts";

export interface PageTab<T extends string> {
  value: T;
  label: string;
  /** Undefined while the count is loading. */
  count: number | undefined;
  /** Whether the count is a number of problems. */
  isAlarming?: boolean;
}

export interface PageTabsProps<T extends string> {
  /** The accessible name of the tabs: "Accounts". */
  label: string;
  tabs: readonly PageTab<T>[];
  value: T;
  onChange: (value: T) => void;
  children: ReactNode;
}

export function PageTabs<T extends string>({ label, tabs, value, onChange, children }: PageTabsProps<T>) {
  const list = useTabInView(value);
  return (
    <Tabs value={value} onChange={(next) => next !== null && onChange(next as T)} keepMounted={false}>
      <Tabs.List aria-label={label} className={strip.strip} ref={list}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} className={strip.tab} data-tab={tab.value}>
            {tab.label}
            {tab.count !== undefined && (
              <span className={classes.count} data-alarming={tab.isAlarming === true}>
                {tab.count.toLocaleString()}
              </span>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={value}>{children}</Tabs.Panel>
    </Tabs>
  );
}
