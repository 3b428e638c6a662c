import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { useUrlFilters } from "../lib/url-filters.ts";

interface UrlTab {
  /** Value of the parameter `tab` in the URL. */
  name: string;
  label: string;
  panel: ReactNode;
}

/**
 * Tabs of a page. The URL keeps the open tab, so that it can be shared and the Back button works.
 */
export function UrlTabs({ tabs }: { tabs: UrlTab[] }) {
  const [params, set] = useUrlFilters(["tab"]);
  const [first] = tabs;
  const shown = tabs.find(({ name }) => name === params.get("tab")) ?? first;
  return (
    <Tabs
      value={shown?.name ?? null}
      onChange={(name) => set("tab", name === first?.name ? null : name)}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, panel }) => (
        <Tabs.Panel key={name} value={name}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
