"""A LibreOffice without a window that shifts cells."""
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.sheet.CellDeleteMode import UP
from com.sun.star.sheet.CellInsertMode import DOWN
from com.sun.star.table import CellRangeAddress

from parted import divided
from workbook import Book

PATIENCE = 60  # seconds for one file in LibreOffice


def option(name, value):
    p = PropertyValue()
    p.Name, p.Value = name, value
    return p


# The option that lets references grow where cells are inserted behind their last.
EXPAND = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Input"><prop oor:name="ExpandReference" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
"""


class Lost(Exception):
    """LibreOffice died of a file, took too long for it, or does not open it."""


class Office:
    """A LibreOffice without a window, started again when it is gone."""

    def __init__(self, work, expand=False):
        self.work, self.expand, self.process = work, expand, None

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        at = f"socket,host=127.0.0.1,port={port};urp;"
        profile = tempfile.mkdtemp(dir=self.work)
        if self.expand:
            os.mkdir(os.path.join(profile, "user"))
            with open(os.path.join(profile, "user", "registrymodifications.xcu"), "w") as f:
                f.write(EXPAND)
        self.process = subprocess.Popen(
            ["soffice", "--headless", "--norestore", "--nologo", f"-env:UserInstallation=file://{profile}", f"--accept={at}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        context = uno.getComponentContext()
        resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
        for _ in range(480):
            try:
                context = resolver.resolve(f"uno:{at}StarOffice.ComponentContext")
                break
            except Exception:
                time.sleep(0.25)
        self.desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)

    def stop(self):
        if self.process is not None:
            try:
                os.killpg(self.process.pid, 9)
            except ProcessLookupError:
                pass
            self.process.wait()
            self.process = None

    def dump(self, source, shift=None, save=None):
        """What LibreOffice makes of a file, after a shift of which no rule parts. It is saved as .xlsx too, under the name save."""
        if self.process is None:
            self.start()
        path, flat = os.path.join(self.work, "book.xlsx"), os.path.join(self.work, "book.fods")
        if shift is None or not divided(source, path, shift):
            shutil.copyfile(source, path)  # always the same path, for formulas that show it
        watch = threading.Timer(PATIENCE, self.kill)
        watch.start()
        try:
            document = self.desktop.loadComponentFromURL("file://" + path, "_blank", 0, (option("Hidden", True),))
            if document is None or not hasattr(document, "Sheets"):
                raise Lost("LibreOffice does not open it")
            try:
                if shift is not None:
                    insert_or_delete(document, shift)
                document.calculateAll()
                document.storeToURL("file://" + flat, (option("FilterName", "OpenDocument Spreadsheet Flat XML"),))
                if save is not None:
                    document.storeToURL("file://" + save, (option("FilterName", "Calc MS Excel 2007 XML"),))
            finally:
                document.close(True)
        except Lost:
            raise
        except Exception as e:
            self.stop()
            raise Lost(f"LibreOffice: {type(e).__name__}") from e
        finally:
            watch.cancel()
        return Book(xml.parse(flat).getroot())

    def kill(self):
        os.killpg(self.process.pid, 9)


def insert_or_delete(document, shift):
    sheets = document.Sheets
    sheet = sheets.getByIndex(0) if sheets.Count == 1 else sheets.getByName(shift["sheet"])
    shift["named"] = shift.get("named", shift["sheet"])  # in the file: LibreOffice may name a sheet otherwise
    shift["sheet"] = sheet.Name
    area = CellRangeAddress()
    area.Sheet = sheet.RangeAddress.Sheet
    area.StartColumn, area.EndColumn, area.StartRow = shift["Left"], shift["Right"], shift["Row"]
    area.EndRow = shift["Row"] + abs(shift["Rows"]) - 1
    if shift["Rows"] > 0:
        sheet.insertCells(area, DOWN)
    else:
        sheet.removeRange(area, UP)
