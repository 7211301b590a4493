import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { ChosenTheme } from "@/components/shell/chosen-theme";
import "./orrery.css";

// Asked for with the page itself: a font that comes after the first layout costs a second one of everything.
const sans = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--inter",
});
const mono = localFont({
  src: "../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--jetbrains",
  adjustFontFallback: false,
});

export const metadata: Metadata = {
  title: { default: "Orrery", template: "%s · Orrery" },
  description: "The lifecycles of a Kubernetes cluster: live, explained, and under control.",
  icons: {
    icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20' fill='none' stroke='%239a6b1f' stroke-width='1.6'><circle cx='10' cy='10' r='8.6'/><circle cx='10' cy='10' r='4.4'/><circle cx='17' cy='5' r='1.9' fill='%239a6b1f' stroke='none'/></svg>",
  },
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#faf9f7" },
    { media: "(prefers-color-scheme: dark)", color: "#0f1114" },
  ],
};

// Before the first paint, so that nobody is blinded by the wrong theme; who chose none gets the system's, by the style alone.
const theme = `const chosen=localStorage.getItem("orrery-theme");if(chosen)document.documentElement.dataset.theme=chosen`;

export default function Root({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en" className={`${sans.variable} ${mono.variable}`} suppressHydrationWarning>
      <head>
        <script dangerouslySetInnerHTML={{ __html: theme }} />
      </head>
      <body>
        <ChosenTheme />
        {children}
      </body>
    </html>
  );
}
