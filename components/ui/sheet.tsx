"use client";
import { useEffect, useRef } from "react";

type Props = { label: string; className?: string; onClose: () => void; children: React.ReactNode };

/** A dialog that is open for as long as it is rendered. The browser keeps the focus inside and gives it back. */
export function Sheet({ label, className, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
