"""Has LibreOffice insert cells into the first sheet of a workbook, write values into them and save it; prints the seconds from opening to the file
saved and LibreOffice's peak memory in bytes.

    /usr/bin/python3 insert_cells.py WORKBOOK SAVED-AS ROW ROWS COLUMNS       ROW counts from 0
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException
from com.sun.star.sheet.CellInsertMode import DOWN
from com.sun.star.table import CellRangeAddress


def option(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(600):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.1)
    raise SystemExit("LibreOffice does not start")


def memory(group):
    """The peak memory of the largest process of a group: LibreOffice runs below the script that starts it."""
    peaks = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) == group:
                with open(f"/proc/{pid}/status") as status:
                    peaks += [int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM:")]
        except (ProcessLookupError, FileNotFoundError):
            pass
    return max(peaks)


def main(workbook, saved, row, rows, columns):
    row, rows, columns = int(row), int(rows), int(columns)
    with tempfile.TemporaryDirectory() as profile:
        pipe = f"mooring{os.getpid()}"
        office = subprocess.Popen(
            ["soffice", "--headless", "--norestore", "--nologo", f"--accept=pipe,name={pipe};urp", f"-env:UserInstallation=file://{profile}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            context = connect(pipe)
            desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
            began = time.monotonic()
            book = desktop.loadComponentFromURL("file://" + os.path.abspath(workbook), "_blank", 0, (option("Hidden", True),))
            sheet = book.Sheets.getByIndex(0)
            cells = CellRangeAddress()
            cells.Sheet, cells.StartColumn, cells.EndColumn, cells.StartRow, cells.EndRow = 0, 0, columns - 1, row, row + rows - 1
            sheet.insertCells(cells, DOWN)
            values = tuple(tuple(float(i * columns + j) for j in range(columns)) for i in range(rows))
            sheet.getCellRangeByPosition(0, row, columns - 1, row + rows - 1).setDataArray(values)
            book.storeToURL("file://" + os.path.abspath(saved), (option("FilterName", "Calc MS Excel 2007 XML"),))
            print(time.monotonic() - began, memory(office.pid))
            book.close(True)
        finally:
            os.killpg(office.pid, signal.SIGKILL)
            office.wait()


main(*sys.argv[1:])
