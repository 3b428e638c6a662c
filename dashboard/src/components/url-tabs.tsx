import { Tabs } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useUrlFilters } from "../lib/url-filters.ts";

interface UrlTab {
  /** Value of the parameter `tab` in the URL. */
  name: string;
  label: string;
  panel: ReactNode;
  /** Keeps what was typed while another tab is open. */
  keeps?: boolean;
}

/**
 * Tabs of a page. The URL keeps the open tab, so that it can be shared and the Back button works.
 */
export function UrlTabs({ tabs }: { tabs: UrlTab[] }) {
  const [params, set] = useUrlFilters(["tab"]);
  const [first] = tabs;
  const [seen, setSeen] = useState<readonly string[]>([]);
  const shown = tabs.find(({ name }) => name === params.get("tab")) ?? first;
  if (shown !== undefined && !seen.includes(shown.name)) setSeen([...seen, shown.name]);
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
      {tabs.map(({ name, panel, keeps = false }) => (
        <Tabs.Panel key={name} value={name} keepMounted={keeps && seen.includes(name)}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
