import encodeQR from 'qr';

/** A QR code as one line drawn along its rows, one module wide; quiet zone of 4 modules included. */
interface QrShape {
  readonly sizeModules: number;
  /** Data of an SVG path that is to be stroked black. */
  readonly path: string;
}

/**
 * Level M: what the camera of a cheap phone reads best at this length. Upper-case text fits the denser alphanumeric
 * mode. A line through the middle of each run of modules takes a third of the bytes of outlined runs.
 */
export function qrShape(text: string): QrShape {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  let path = '';
  for (const [y, row] of rows.entries()) {
    let penX = -1;
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `${penX < 0 ? `M${start} ${y}.5` : `m${start - penX} 0`}h${x + 1 - start}`;
      penX = x + 1;
    }
  }
  return { sizeModules: rows.length, path };
}

/** An SVG QR code with its own white ground, so that it reads on any page. */
export function qrSvg(text: string): string {
  const { sizeModules: size, path } = qrShape(text);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" role="img">` +
    `<title>Lightning invoice</title><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${path}"/></svg>`
  );
}
