import { Drawer, Modal, type DrawerProps, type ModalProps } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { focusFirst, focusPath } from "../lib/focus-path.ts";

/** A dialog that is open as long as it is rendered. On unmount it returns the keyboard focus. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  const { t } = useTranslation();
  useReturnedFocus();
  return <Modal opened closeButtonProps={{ "aria-label": t("common.close") }} {...props} />;
}

/** A dialog at the side of the page; otherwise the same as {@link Dialog}. */
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

interface SideFrameProps {
  /** Name of the dialog for screen readers. */
  label: string;
  onClose: () => void;
  /** Title, buttons and Close, in one line that stays in sight. */
  head: ReactNode;
  children: ReactNode;
}

/** A dialog at the side of the page with a head of its own; otherwise as {@link SideDialog}. */
export function SideFrame({ label, onClose, head, children }: SideFrameProps) {
  useReturnedFocus();
  return (
    <Drawer.Root opened position="right" onClose={onClose}>
      <Drawer.Overlay backgroundOpacity={0.3} blur={2} />
      <Drawer.Content aria-label={label}>
        <Drawer.Header role="none" pb={4}>
          {head}
        </Drawer.Header>
        <Drawer.Body>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface FullFrameProps {
  /** Name of the dialog for screen readers. */
  label: string;
  className: string | undefined;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog over the whole window, without a head of its own; otherwise as {@link Dialog}. */
export function FullFrame({ label, className, onClose, children }: FullFrameProps) {
  useReturnedFocus();
  return (
    <Modal.Root opened fullScreen padding={0} transitionProps={{ duration: 0 }} onClose={onClose}>
      <Modal.Content aria-label={label} className={className ?? ""}>
        {children}
      </Modal.Content>
    </Modal.Root>
  );
}

/** Mantine returns the focus only from a dialog that stays rendered after it is closed. */
function useReturnedFocus(): void {
  const [opener] = useState(() => focusPath(focusedOrMenu()));
  useEffect(() => {
    // A dialog may follow another dialog. The opener disappeared with the first dialog, which has
    // returned the focus by now.
    const places = [...opener, ...focusPath(focusedOrMenu())];
    return () => focusFirst(places);
  }, [opener]);
}

/**
 * The focused element. An entry of a menu disappears with the menu, so the button of the menu is
 * returned instead.
 */
function focusedOrMenu(): Element | null {
  const focused = document.activeElement;
  const button = focused?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return button === null || button === undefined ? focused : document.getElementById(button);
}
