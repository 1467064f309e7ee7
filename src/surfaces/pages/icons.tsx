import type { JSX } from 'preact';

/** Line drawings on a ground of 24, in the colour of the text around them; the words beside them say the same. */
const drawings = {
  open: 'M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  lock: 'M5 11h14v9H5zM8 11V8a4 4 0 0 1 8 0v3',
  down: 'm6 9 6 6 6-6',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 7.5V12l3 2',
  alert: 'M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 7.5v5M12 16v.4',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M3 12h18M12 3c3 3 3 15 0 18c-3-3-3-15 0-18',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  );
}
