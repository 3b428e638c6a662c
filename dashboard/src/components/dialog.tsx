import { Drawer, Modal, type DrawerProps, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { focusFirst, focusPath } from "../lib/focus-path.ts";

/** A dialog that is open as long as it is rendered, and gives the keyboard's focus back as it goes. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  const { t } = useTranslation();
  useReturnedFocus();
  return <Modal opened closeButtonProps={{ "aria-label": t("common.close") }} {...props} />;
}

/** The same beside the page. */
export function SideDialog(props: Omit<DrawerProps, "opened">) {
  const { t } = useTranslation();
  useReturnedFocus();
  return (
    <Drawer
      opened
      position="right"
      closeButtonProps={{ "aria-label": t("common.close") }}
      {...props}
    />
  );
}

/** Mantine itself returns the focus only from a dialog that stays rendered once it is closed. */
function useReturnedFocus(): void {
  const [opener] = useState(() => focusPath(focusedOrMenu()));
  useEffect(() => {
    // Where this dialog follows another one, its opener went with that one, which has returned the focus by now.
    const places = [...opener, ...focusPath(focusedOrMenu())];
    return () => focusFirst(places);
  }, [opener]);
}

/** An entry goes with its menu; the button of the menu stays. */
function focusedOrMenu(): Element | null {
  const focused = document.activeElement;
  const button = focused?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return button === null || button === undefined ? focused : document.getElementById(button);
}
